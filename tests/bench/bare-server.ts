// The least that can answer a device: bare Node and one prepared statement that finds its token. Prints its port.
import { createServer } from 'node:http'
import { createPool } from '../../server/core/database/clients'
import { hashOf } from '../../server/core/tokens/token'

const pool = createPool({ connectionString: process.argv[2], max: 10 })
const text = 'select device_id, project_id from device_tokens where token_hash = $1'

const server = createServer((request, response) => {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    void pool.query({ name: 'bare', text, values: [hashOf(token)] }).then(({ rows }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows[0]))
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`)
})
