import { readdirSync } from 'node:fs'
import { defineConfig } from 'drizzle-kit'

const folder = './server/database/schema'

// Partitioned tables are declared for their types only: server/core/database/rules holds their definitions.
const schema = readdirSync(folder)
  .filter((name) => !name.endsWith('.partitioned.ts'))
  .map((name) => `${folder}/${name}`)

export default defineConfig({ dialect: 'postgresql', schema, out: './server/database/migrations' })
