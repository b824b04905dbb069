// `npm run --silent openapi > openapi.json`: the document that the API host serves at /openapi.json, without a running host.
import { createDocument } from '../contract/openapi/document'
import { readConfig } from './core/config'

process.stdout.write(`${JSON.stringify(createDocument(readConfig().urls.api), null, 2)}\n`)
