/** §3: year-month-day T hour:minute:second with offset. */
export const formatTimestamp = (moment: Date): string => `${moment.toISOString().slice(0, 19)}+00:00`

export const formatTimestampOrNull = (moment: Date | null): string | null => moment && formatTimestamp(moment)

/** The JSON fields that every entity has. */
export const entityToJson = (row: { id: string; createdAt: Date; updatedAt: Date; revision: number }) => ({
  id: row.id,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
  revision: row.revision,
})
