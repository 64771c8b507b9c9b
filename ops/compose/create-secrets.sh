#!/bin/sh
# Creates the files of secrets/ that docker-compose.yml mounts. Existing files are kept, so it can be run again after an
# upgrade. Usage: ops/compose/create-secrets.sh [FOLDER]
set -eu
folder=${1:-"$(dirname "$0")/../../secrets"}
mkdir -p "$folder"
# Compose mounts each file as it is, with its mode, and the processes run as other users than its owner: each file can be
# read by everyone who can enter the folder, and only its owner can.
chmod 700 "$folder"
cd "$folder"

password() { openssl rand -hex 24; }

# create NAME: writes its standard input to a new file. An existing file is kept.
create() {
  if [ -e "$1" ]; then cat > /dev/null; return 0; fi
  cat > "$1.new"
  chmod 444 "$1.new"
  mv "$1.new" "$1"
  echo "created $folder/$1"
}

openssl rand -base64 32 | create secrets_key

password | create postgres_password
echo "postgresql://rewardhook:$(cat postgres_password)@postgres:5432/rewardhook" | create database_owner_url
# The migrator creates the roles of these two URLs with these passwords.
echo "postgresql://rewardhook_app:$(password)@postgres:5432/rewardhook" | create database_url
echo "postgresql://rewardhook_readonly:$(password)@postgres:5432/rewardhook" | create database_readonly_url
# Empty: migrate uses database_owner_url. Behind a connection pooler, the URL of the owner at PostgreSQL itself.
create database_direct_url < /dev/null

password | create redis_password
echo "redis://rewardhook:$(cat redis_password)@redis:6379" | create redis_url
# The user of the processes, and one that may only answer the health check. Redis stores a hash.
create redis_users <<TEXT
user default off
user rewardhook on #$(printf %s "$(cat redis_password)" | openssl dgst -sha256 -r | cut -d ' ' -f 1) ~* &* +@all -@dangerous +info +config|get +client +keys +sort +role
user health on nopass +ping
TEXT

password | create dashboard_operator_password
password | create dashboard_viewer_password
# Empty: no mail. Write smtp://user:password@host:587 into it, user and password percent-encoded.
create smtp_url < /dev/null
# Empty: the operator's URL is not called. Otherwise the URL, and below the secret that signs what is sent to it.
create operator_webhook_url < /dev/null
printf 'whsec_%s' "$(openssl rand -base64 32)" | create operator_webhook_secret
# Empty: the collector of traces needs none. Otherwise name=value, separated by commas, values percent-encoded.
create otlp_headers < /dev/null
