const rowsAtOnce = 10_000

/** Repeats a statement that changes at most so many rows, until it finds fewer: one statement over all would hold its locks too long. */
export const inBatches = async (change: (most: number) => PromiseLike<{ rowCount: number | null }>): Promise<void> => {
  for (let changed = rowsAtOnce; changed >= rowsAtOnce;) changed = (await change(rowsAtOnce)).rowCount ?? 0
}
