/** A device is `online` for 1.5 polling intervals and a minute, `late` for 3 intervals and a minute. */
export const grace = { online: 1.5, late: 3, slackS: 60 } as const

/** How long a device may be silent that has missed at most so many polls. */
export const limitMs = (pollS: number, polls: number): number => (pollS * polls + grace.slackS) * 1000
