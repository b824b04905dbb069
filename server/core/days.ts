const DAY_MS = 86_400_000

export const daysBefore = (moment: Date, days: number): Date => new Date(moment.getTime() - days * DAY_MS)
export const daysAfter = (moment: Date, days: number): Date => daysBefore(moment, -days)
export const secondsAfter = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000)
