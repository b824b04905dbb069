alter table rate_windows set unlogged;
