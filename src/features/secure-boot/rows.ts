import { useState } from 'react'

/** Rows of a form that people add and remove. Their controls are uncontrolled; each row keeps its key. */
export const useRows = <T>(start: readonly T[]) => {
  const [rows, setRows] = useState<readonly { key: number; start: T | undefined }[]>(() =>
    start.map((one, key) => ({ key, start: one })),
  )
  return {
    rows,
    add: () => setRows((now) => [...now, { key: Math.max(-1, ...now.map(({ key }) => key)) + 1, start: undefined }]),
    remove: (key: number) => setRows((now) => now.filter((row) => row.key !== key)),
  }
}
