import { fileURLToPath } from 'node:url'
import { refresh } from './draw/pages'

/** `npm run charts`: draws every chart into its folder and collects them on one page. */
const paths = await refresh(fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, ''))
for (const path of paths) process.stdout.write(`${path}\n`)
