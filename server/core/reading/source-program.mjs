// The program of reading threads where the server runs from its sources: a thread of Node does not load TypeScript.
import { register } from 'tsx/esm/api'

register()
await import('../../reading-program.ts')
