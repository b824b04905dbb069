/** §3: year-month-day T hour:minute:second with offset. */
export const stamp = (moment: Date): string => `${moment.toISOString().slice(0, 19)}+00:00`

export const stampOrNull = (moment: Date | null): string | null => moment && stamp(moment)

/** The JSON fields that every entity has. */
export const entityFacts = (row: { id: string; createdAt: Date; updatedAt: Date; revision: number }) => ({
  id: row.id,
  created_at: stamp(row.createdAt),
  updated_at: stamp(row.updatedAt),
  revision: row.revision,
})
