/** What faulty and hostile devices do, one device for each. */
export const hostileKinds = [
  'duplicate_serial',
  'clock_1970',
  'clock_ahead',
  'events_out_of_order',
  'events_repeated',
  'log_flood',
  'body_too_large',
  'wrong_token',
  'old_manifest',
  'forged_signature',
  'range_flood',
  'success_without_reboot',
] as const
export type HostileKind = (typeof hostileKinds)[number]
