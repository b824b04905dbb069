import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020'
import openapiTS, { astToString } from 'openapi-typescript'
import { validate } from 'superstruct'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiDescription } from '../../contract/api-description'
import { named, type OpenApiDocument } from '../../contract/openapi/document'
import { samples } from '../../contract/openapi/samples'
import { endpoints } from '../../contract/endpoints'
import * as devices from '../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../support/api'
import { undescribed } from '../support/described'

let api: TestApi
let text: string
let document: OpenApiDocument
beforeAll(async () => {
  api = await createTestApi()
  text = (await api.call(apiDescription, {})).text
  document = JSON.parse(text) as OpenApiDocument
})
afterAll(() => api.close())

it('anyone gets the OpenAPI document of this host, and an unchanged one only once', async () => {
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: api.config.urls.api }] })
  const { headers } = await api.call(apiDescription, {})
  expect(headers['content-type']).toContain('application/json')
  const again = await api.call(apiDescription, {}, { headers: { 'if-none-match': String(headers.etag) } })
  expect([again.status, again.text]).toEqual([304, ''])
})

it('the document has each endpoint with its permission, audit action and the tokens that it takes', () => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => String(operationId)),
  )
  expect(new Set(described).size).toBe(described.length)
  for (const name of Object.keys(endpoints)) expect(described).toContain(name.replace(/[^\w]+/g, '_'))
  expect(document.paths['/projects/{projectId}/devices']?.post).toMatchObject({
    security: [{ session: [] }, { accessToken: [] }],
    'x-permission': ['project:manage_devices'],
    'x-audit': 'device.pre_enroll',
  })
  expect(document.paths['/projects/{projectId}/access_tokens']?.post).toMatchObject({ security: [{ session: [] }] })
  expect(document.paths['/device/v1/check_in']?.post).toMatchObject({ security: [{ deviceToken: [] }] })
})

describe('the example of each JSON body', () => {
  const withBody = named().filter(([name, { body }]) => body !== undefined && name !== 'account.setAvatar')
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: false })

  it.each(withBody)('of %s satisfies its schema and its struct', (_, { method, path, body }) => {
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const described = operation?.requestBody as { content: Record<string, { schema: object; example?: unknown }> } | undefined
    const contents = Object.values(described?.content ?? {})
    expect(contents).not.toEqual([])
    for (const { schema, example } of contents) {
      expect([example, ajv.validate(schema, example), ajv.errorsText()]).toEqual([expect.any(Object), true, 'No errors'])
      if (body) expect(validate(example, body)[0]).toBeUndefined()
    }
  })

  it('belongs to an endpoint that takes a body', () => {
    const known = new Set(withBody.map(([name]) => name))
    expect(Object.keys(samples).filter((name) => !known.has(name))).toEqual([])
  })
})

it('Redocly finds no error in the document', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: text, config })
  const errors = problems.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer ?? ''}`)).toEqual([])
})

it('TypeScript compiles the types that openapi-typescript makes of the document', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'teasel-openapi-'))
  try {
    const file = join(directory, 'api.ts')
    const use = `
      import type { paths } from './api'
      type Answer = paths['/projects/{projectId}/devices']['get']['responses'][200]['content']['application/json']
      export const name = (answer: Answer): string => answer.devices[0]!.name
      // @ts-expect-error -- there is no such field
      export const other = (answer: Answer) => answer.devices[0]!.no_such_field.length`
    await writeFile(file, astToString(await openapiTS(document as never)))
    await writeFile(join(directory, 'use.ts'), use)
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 }
    const program = ts.createProgram([file, join(directory, 'use.ts')], options)
    const problems = ts.getPreEmitDiagnostics(program)
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

it('an answer that the document does not describe is found', async () => {
  const owner = await api.person()
  const projectId = await api.project({ ownerId: owner.id })
  const answer = await api.app.inject({
    url: `/projects/${projectId}/devices`,
    headers: { host: new URL(api.config.urls.api).host, 'x-session-token': owner.token },
  })
  expect(undescribed(devices.devices, answer)).toBeUndefined()
  const { devices: _, ...less } = answer.json<{ devices: unknown }>()
  const { headers } = answer
  const broken = { statusCode: 200, headers, payload: JSON.stringify(less) }
  expect(undescribed(devices.devices, broken)).toContain("must have required property 'devices'")
  expect(undescribed(devices.devices, { ...broken, statusCode: 300 })).toBe('it has no answer 300')
})
