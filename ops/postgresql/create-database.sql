-- The roles and the database of Rewardhook, from zero, for an owner that may not create roles. Run it once with psql, as a superuser
-- of PostgreSQL 14 or later:
--
--   OWNER_PASSWORD=… APP_PASSWORD=… READONLY_PASSWORD=… psql -X -f ops/postgresql/create-database.sql
--
-- `-v name=shop` creates the database shop with the roles shop_owner, shop_app and shop_readonly. Then run the migrator with the
-- URLs of the three roles: it creates the tables, and grants the rights. docs/operations/install.md#database-roles explains it.

\set ON_ERROR_STOP on
\if :{?name}
\else
  \set name rewardhook
\endif
\set owner :name _owner
\set app :name _app
\set readonly :name _readonly
\set owner_password `printenv OWNER_PASSWORD`
\set app_password `printenv APP_PASSWORD`
\set readonly_password `printenv READONLY_PASSWORD`

-- Passwords are in no log of the server, also when a statement fails.
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SET log_min_duration_statement = -1;
SET password_encryption = 'scram-sha-256';

SELECT '' IN (:'owner_password', :'app_password', :'readonly_password') AS incomplete,
  current_setting('server_version_num')::int >= 170000 AS has_builtin_locale
\gset
\if :incomplete
  DO $$ BEGIN RAISE 'Set OWNER_PASSWORD, APP_PASSWORD and READONLY_PASSWORD.'; END $$;
\endif

BEGIN;
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"app" LOGIN PASSWORD :'app_password';
CREATE ROLE :"readonly" LOGIN PASSWORD :'readonly_password';
COMMIT;

-- Texts are compared by their bytes: see PostgreSQL settings.
\if :has_builtin_locale
  CREATE DATABASE :"name" OWNER :"owner" TEMPLATE template0 ENCODING 'UTF8'
    LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C';
\else
  CREATE DATABASE :"name" OWNER :"owner" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C';
\endif
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;

-- How the sessions of the processes read and write values, and how long they may take. Behind PgBouncer the processes require it.
BEGIN;
ALTER ROLE :"app" IN DATABASE :"name" SET "TimeZone" = 'UTC';
ALTER ROLE :"app" IN DATABASE :"name" SET "DateStyle" = 'ISO, MDY';
ALTER ROLE :"app" IN DATABASE :"name" SET "IntervalStyle" = 'postgres';
ALTER ROLE :"app" IN DATABASE :"name" SET extra_float_digits = '1';
ALTER ROLE :"app" IN DATABASE :"name" SET bytea_output = 'hex';
ALTER ROLE :"app" IN DATABASE :"name" SET standard_conforming_strings = 'on';
ALTER ROLE :"app" IN DATABASE :"name" SET default_transaction_isolation = 'read committed';
ALTER ROLE :"app" IN DATABASE :"name" SET search_path = public;
ALTER ROLE :"app" IN DATABASE :"name" SET statement_timeout = '30s';
ALTER ROLE :"app" IN DATABASE :"name" SET lock_timeout = '10s';
ALTER ROLE :"app" IN DATABASE :"name" SET idle_in_transaction_session_timeout = '10s';

-- Support and reports: they only read. A long transaction delays migrations and the removal of old rows.
ALTER ROLE :"readonly" IN DATABASE :"name" SET "TimeZone" = 'UTC';
ALTER ROLE :"readonly" IN DATABASE :"name" SET "DateStyle" = 'ISO, MDY';
ALTER ROLE :"readonly" IN DATABASE :"name" SET "IntervalStyle" = 'postgres';
ALTER ROLE :"readonly" IN DATABASE :"name" SET extra_float_digits = '1';
ALTER ROLE :"readonly" IN DATABASE :"name" SET bytea_output = 'hex';
ALTER ROLE :"readonly" IN DATABASE :"name" SET standard_conforming_strings = 'on';
ALTER ROLE :"readonly" IN DATABASE :"name" SET default_transaction_isolation = 'read committed';
ALTER ROLE :"readonly" IN DATABASE :"name" SET default_transaction_read_only = 'on';
ALTER ROLE :"readonly" IN DATABASE :"name" SET search_path = public;
ALTER ROLE :"readonly" IN DATABASE :"name" SET statement_timeout = '300000';
ALTER ROLE :"readonly" IN DATABASE :"name" SET lock_timeout = '10s';
ALTER ROLE :"readonly" IN DATABASE :"name" SET idle_in_transaction_session_timeout = '60000';
COMMIT;
