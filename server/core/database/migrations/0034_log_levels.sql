-- Warnings and errors of a device, a small part of its log: found without reading the lines between them.
create index device_logs_warnings on device_logs (project_id, device_id, sequence) where level <= 4;--> statement-breakpoint
create index device_logs_errors on device_logs (project_id, device_id, sequence) where level <= 3;
