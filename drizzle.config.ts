import { readdirSync } from 'node:fs'
import { defineConfig } from 'drizzle-kit'

const folders = ['core/database', 'accounts', 'fleet', 'updates', 'ddi'].map((domain) => `./server/${domain}/schema`)

// Partitioned tables are declared for their types only: the hand-written migration 0001_rules.sql defines them.
const schema = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('.partitioned.ts'))
    .map((name) => `${folder}/${name}`),
)

// Another folder is named by the test that looks for changes without a migration.
const out = process.env.MIGRATIONS_FOLDER ?? './server/core/database/migrations'

export default defineConfig({ dialect: 'postgresql', schema, out })
