-- The two roles and the database, created once by a superuser. psql reads the passwords from its environment.
\getenv owner_password TEASEL_OWNER_PASSWORD
\getenv host_password TEASEL_HOST_PASSWORD
create role teasel_owner login password :'owner_password';
create role teasel_host login password :'host_password';
create database teasel owner teasel_owner;
