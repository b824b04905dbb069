import { expect, it } from 'vitest'
import { titleOf, titles } from './errors'

it.each([
  [401, 'Unauthorized'],
  [403, 'Unauthorized'],
  [404, 'The Requested Resource Cannot Be Found'],
  [400, 'Something Went Wrong, Please Try Again Later'],
  [409, 'Something Went Wrong, Please Try Again Later'],
  [500, 'Something Went Wrong, Please Try Again Later'],
  [0, 'An error occurred, please try again later.'],
  [undefined, 'An error occurred, please try again later.'],
])('§8: the title of the status %s is %j', (status, title) => expect(titleOf(status)).toBe(title))

it('§1, §2, §4, §8: the other texts of the catalogue are exact', () =>
  expect(titles).toMatchObject({
    organizationLost: "You don't have access to this organization or it no longer exists.",
    updating: 'Updating application…',
    newVersion: 'A new app version is available. Reloading…',
    offline: 'It appears that you are offline. Please reconnect if you are trying to access the control center.',
    chart: 'Could not load the chart',
    redirecting: 'Redirecting to sign-in...',
  }))
