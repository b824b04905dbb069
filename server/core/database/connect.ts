import type { Client } from 'pg'

// Node's error for a name with several addresses, such as localhost, has no text of its own.
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : error.message

/** Connects for a program that ends if it cannot: the error, printed to the terminal, names the server. */
export const connectClient = async (client: Client): Promise<void> => {
  await client.connect().catch((error: Error) => {
    throw new Error(`PostgreSQL at ${client.host}:${client.port} cannot be used: ${reasonOf(error)}`, { cause: error })
  })
}
