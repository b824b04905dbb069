/** "1 device", "12 devices", for the timeline of a rollout. */
export const formatDeviceCount = (count: number): string => (count === 1 ? '1 device' : `${count} devices`)
