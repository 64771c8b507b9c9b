require 'openssl'

# body: the raw bytes, request.body.read. headers: names in lower case.
def webhook?(body, headers, secret, tolerance: 300)
  id, timestamp = headers.values_at('webhook-id', 'webhook-timestamp').map(&:to_s)
  return false if id.empty? || !timestamp.match?(/\A[1-9][0-9]{0,14}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > tolerance

  key = secret.delete_prefix('whsec_').unpack1('m0')
  raise ArgumentError, 'not a signing secret' if key.bytesize < 24 # anyone can sign with an empty key

  digest = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[digest].pack('m0')}"
  headers['webhook-signature'].to_s.split.any? { |given| OpenSSL.secure_compare(expected, given) }
end
