package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsWebhook takes the raw bytes of the body: io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)).
func IsWebhook(body []byte, header http.Header, secret string) (bool, error) {
	const tolerance = 300
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return false, nil
	}
	if age := time.Now().Unix() - seconds; age > tolerance || age < -tolerance {
		return false, nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 { // anyone can sign with an empty key
		return false, errors.New("not a signing secret")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(given)) {
			return true, nil
		}
	}
	return false, nil
}
