/** Files live here, under the id of their upload: a chart carries facts that can be JSON, not files. */
export type Files = Map<string, File>

/** Refuses what only looks like a file: a folder that was dropped, or one that has gone since. */
export const readFirstByte = async (files: Files, id: string): Promise<void> => {
  const file = files.get(id)
  if (!file) throw new Error('The file is not here')
  await file.slice(0, 1).arrayBuffer()
}
