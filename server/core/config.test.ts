import { describe, expect, it } from 'vitest'
import { readConfig } from './config'
import { allowedHosts, consoleOrigins } from './http/origins'

describe('configuration', () => {
  it('needs no variable: the defaults are the three local hosts of the specification', () => {
    const config = readConfig({})
    expect(config.urls).toEqual({
      console: 'http://localhost:5173',
      api: 'http://localhost:8080',
      'sign-in': 'http://localhost:3000',
    })
    expect(config).toMatchObject({ environment: 'local', hosts: ['console', 'sign-in', 'api'], bind: '127.0.0.1', demo: true })
    expect(config.storage).toEqual({ kind: 'directory', path: `${config.dataDirectory}/artifacts` })
  })

  it('takes ports, hosts and limits from the environment, and an empty value for none', () => {
    const config = readConfig({
      TEASEL_API_PORT: '9000',
      TEASEL_HOSTS: 'api, sign-in',
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '5',
      TEASEL_WEB_PORT: '',
      TEASEL_EMPTY: '1',
    })
    expect(config.urls.api).toBe('http://localhost:9000')
    expect(config).toMatchObject({
      hosts: ['api', 'sign-in'],
      limits: { requestsPerMinute: 5 },
      ports: { console: 5173 },
      demo: false,
    })
  })

  it.each([
    [{ TEASEL_WEB_PORT: 'abc' }, 'TEASEL_WEB_PORT: expected a whole number from 1 to 65535'],
    [{ TEASEL_API_PORT: '70000' }, 'TEASEL_API_PORT: expected a whole number'],
    [{ TEASEL_HOSTS: 'console,web' }, 'TEASEL_HOSTS: expected a comma-separated list of console, sign-in, api'],
    [{ TEASEL_ENVIRONMENT: 'test' }, 'TEASEL_ENVIRONMENT: expected one of local, staging, production'],
    [{ TEASEL_API_URL: 'https://api.example.com/' }, 'TEASEL_API_URL: expected an origin'],
    [{ DATABASE_URL: 'mysql://u:hidden@h/d' }, 'DATABASE_URL: expected a URL such as postgres://'],
    [
      { TEASEL_WEB_URL: 'https://console.example.com' },
      'TEASEL_ENVIRONMENT: must be staging or production, because the URL of the console host is neither this machine nor a private network',
    ],
    [{ TEASEL_SIGN_IN_URL: 'http://203.0.113.7:3000' }, 'TEASEL_ENVIRONMENT: must be staging or production'],
    [{ TEASEL_TRUSTED_PROXIES: '10.0.0.2, proxy' }, 'TEASEL_TRUSTED_PROXIES: expected a comma-separated list of addresses'],
    [{ TEASEL_TRUSTED_PROXIES: '0.0.0.0/0' }, 'TEASEL_TRUSTED_PROXIES: expected a comma-separated list of addresses'],
    [{ TEASEL_OIDC_ISSUER: 'http://login.example.com' }, 'TEASEL_OIDC_ISSUER: expected an https URL'],
    [{ TEASEL_OIDC_ISSUER: 'https://login.example.com?a=hidden' }, 'TEASEL_OIDC_ISSUER: expected an https URL'],
    [{ TEASEL_OIDC_ISSUER: 'https://login.example.com' }, 'TEASEL_OIDC_CLIENT_ID: required, because TEASEL_OIDC_ISSUER is set'],
    [{ TEASEL_OIDC_CLIENT_SECRET: 'hidden' }, 'TEASEL_OIDC_CLIENT_SECRET: set TEASEL_OIDC_ISSUER too'],
    [{ TEASEL_OIDC_DOMAINS: 'example' }, 'TEASEL_OIDC_DOMAINS: expected a comma-separated list of mail domains'],
    [{ TEASEL_OIDC_GROUP_ROLES: '{hidden' }, 'TEASEL_OIDC_GROUP_ROLES: expected JSON such as'],
    [{ TEASEL_OIDC_GROUP_ROLES: '{"a":{"organization":"b","role":"king"}}' }, 'TEASEL_OIDC_GROUP_ROLES: expected JSON such as'],
    [{ TEASEL_METRICS_PORT: '65534' }, 'TEASEL_METRICS_PORT: expected a whole number from 1 to 65533'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1'],
    [{ TEASEL_PASSWORD_SIGN_IN: 'no' }, 'TEASEL_PASSWORD_SIGN_IN: expected on or off'],
    [{ TEASEL_PASSWORD_SIGN_IN: 'off' }, 'TEASEL_PASSWORD_SIGN_IN: off needs TEASEL_OIDC_ISSUER'],
    [{ TEASEL_STORAGE: 's3://' }, 'TEASEL_STORAGE: expected a directory, or s3://bucket/prefix'],
    [{ TEASEL_STORAGE: 's3://b/?hidden' }, 'TEASEL_STORAGE: expected a directory, or s3://bucket/prefix'],
    [
      { TEASEL_STORAGE: 's3://bucket', AWS_SECRET_ACCESS_KEY: 'hidden' },
      'AWS_ACCESS_KEY_ID: set it together with AWS_SECRET_ACCESS_KEY',
    ],
  ])('refuses %o and names the variable, never its value', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message)
    expect(() => readConfig(environment)).not.toThrow(/hidden/)
  })

  it('reads the bucket of an object store, with credentials or without', () => {
    const own = { TEASEL_STORAGE: 's3://files/teasel/', TEASEL_S3_ENDPOINT: 'https://s3.example.com', AWS_REGION: 'eu-central-1' }
    expect(readConfig({ ...own, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }).storage).toEqual({
      kind: 's3',
      bucket: 'files',
      prefix: 'teasel/',
      endpoint: 'https://s3.example.com',
      region: 'eu-central-1',
      pathStyle: true,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    })
    const amazon = { kind: 's3', bucket: 'files', prefix: '', region: 'us-east-1', pathStyle: false }
    expect(readConfig({ TEASEL_STORAGE: 's3://files' }).storage).toEqual(amazon)
    expect(readConfig({ ...own, TEASEL_S3_PATH_STYLE: '0' }).storage).toMatchObject({ pathStyle: false })
  })

  it.each([
    ['the defaults', {}, true],
    ['another environment', { TEASEL_ENVIRONMENT: 'staging' }, false],
    ['an address that others reach', { TEASEL_BIND: '0.0.0.0' }, false],
    ['a URL in a private network', { TEASEL_API_URL: 'http://192.168.1.20:8080' }, false],
    ['a URL of a local name', { TEASEL_WEB_URL: 'https://console.internal' }, false],
  ])('with %s knows whether only this machine can reach it', (_, environment, expected) => {
    expect(readConfig(environment).loopbackOnly).toBe(expected)
  })

  it('T-32: trusts no proxy by default, and the addresses and networks that are named', () => {
    expect(readConfig({}).trustedProxies).toBe(false)
    expect(readConfig({ TEASEL_TRUSTED_PROXIES: '10.0.0.2, fd00::/8' }).trustedProxies).toEqual(['10.0.0.2', 'fd00::/8'])
  })

  it('T-14: accepts the three names of a host on loopback', () => {
    const local = readConfig({})
    expect([...allowedHosts(local, 'api')]).toEqual(['localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
    const open = readConfig({
      TEASEL_ENVIRONMENT: 'production',
      TEASEL_SIGN_IN_URL: 'https://id.example.com',
      TEASEL_BIND: '0.0.0.0',
      TEASEL_API_URL: 'https://api.example.com',
      TEASEL_WEB_URL: 'https://console.example.com',
    })
    expect([...allowedHosts(open, 'api')]).toEqual(['api.example.com', 'api.example.com:443'])
    expect([...consoleOrigins(open)]).toEqual(['https://console.example.com'])
  })
})
