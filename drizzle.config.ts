import { readdirSync } from 'node:fs'
import { defineConfig } from 'drizzle-kit'

const folders = ['core/database', 'accounts', 'fleet', 'updates'].map((domain) => `./server/${domain}/schema`)

// Partitioned tables are declared for their types only: server/core/database/rules holds their definitions.
const schema = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('.partitioned.ts'))
    .map((name) => `${folder}/${name}`),
)

export default defineConfig({ dialect: 'postgresql', schema, out: './server/core/database/migrations' })
