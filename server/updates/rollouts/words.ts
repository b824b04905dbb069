/** "1 device", "12 devices", as the story of a rollout tells them. */
export const devicesOf = (count: number): string => (count === 1 ? '1 device' : `${count} devices`)
