import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  private static final long TOLERANCE_SECONDS = 300;

  /** body: the raw bytes. headers: names in lower case. */
  static boolean isWebhook(byte[] body, Map<String, String> headers, String secret)
      throws GeneralSecurityException {
    String id = headers.getOrDefault("webhook-id", "");
    String timestamp = headers.getOrDefault("webhook-timestamp", "");
    if (id.isEmpty() || !timestamp.matches("[1-9][0-9]{0,14}")) return false;
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS) return false;
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    // Anyone can sign with an empty key.
    if (key.length < 24) throw new IllegalArgumentException("not a signing secret");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    for (String given : headers.getOrDefault("webhook-signature", "").split(" "))
      if (MessageDigest.isEqual(
          expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8))) return true;
    return false;
  }
}
