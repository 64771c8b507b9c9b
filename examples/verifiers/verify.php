<?php
/** $body: the raw bytes, file_get_contents('php://input'). $headers: names in lower case. */
function is_webhook(string $body, array $headers, string $secret, int $tolerance = 300): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !preg_match('/^[1-9][0-9]{0,14}$/D', $timestamp)) return false;
    if (abs(time() - (int) $timestamp) > $tolerance) return false;
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    // Anyone can sign with an empty key.
    if ($key === false || strlen($key) < 24) throw new InvalidArgumentException('not a signing secret');
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) return true;
    }
    return false;
}
