import { Client } from 'pg'
import { expect, vi } from 'vitest'

/** The texts of the statements that a call sends to the database, those that begin and end transactions among them. */
export const statementsOf = async (call: () => Promise<{ status: number; text: string }>): Promise<string[]> => {
  const query = vi.spyOn(Client.prototype, 'query')
  const { status, text } = await call()
  expect(status, text).toBeLessThan(300)
  const texts = query.mock.calls.map(([statement]: unknown[]) =>
    typeof statement === 'string' ? statement : String((statement as { text?: string }).text),
  )
  query.mockRestore()
  return texts
}
