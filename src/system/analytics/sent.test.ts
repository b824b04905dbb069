import { describe, expect, it } from 'vitest'
import { sent } from './sent'

describe('T-26: analytics data that leaves the browser', () => {
  it('is listed property by property', () => {
    const properties = {
      token: 'key',
      distinct_id: 'd',
      name: 'Save',
      template: '/organizations/$organizationId/projects',
      $pathname: '/organizations/org_1/projects',
      $current_url: 'http://localhost/organizations/org_1/projects?q=secret',
      $referrer: 'http://localhost/?token=ses_secret',
      $title: 'Orchard Gateways',
      $set: { email: 'ines@hedgerow.example' },
    }
    expect(sent({ uuid: 'u', event: 'Click', properties })).toEqual({
      uuid: 'u',
      event: 'Click',
      properties: { token: 'key', distinct_id: 'd', name: 'Save', $pathname: '/organizations/$organizationId/projects' },
    })
  })

  it.each(['$identify', '$autocapture', '$pageleave', '$exception', '$set'])('contains no event %s', (event) =>
    expect(sent({ uuid: 'u', event, properties: { token: 'key' } })).toBeNull(),
  )
})
