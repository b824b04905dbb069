import { useQuery } from '@tanstack/react-query'
import { selfQuery } from '../../../api/queries/accounts/self'
import { useSystem } from '../../../system/system'
import { Icon, type IconName } from '../../../ui/icon/icon'
import type { Item } from './items'
import { readRecent } from './recent'

const iconOf = (href: string): IconName =>
  href.includes('/devices/') ? 'chip' : href.includes('/releases/') ? 'release' : 'monitor'
const kindOf = (href: string) => (href.includes('/devices/') ? 'device' : href.includes('/releases/') ? 'release' : 'project')

/** Recent targets of the palette, without the current page. */
export const useRecent = (): Item[] => {
  const { api } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  if (!user) return []
  return readRecent(user.id)
    .filter(({ href }) => !href.startsWith(window.location.pathname))
    .map(({ href, label, mono }) => ({
      id: `recent-${href}`,
      label,
      ...(mono && { mono }),
      lead: <Icon name={iconOf(href)} />,
      note: kindOf(href),
      verb: 'Open',
      keep: true,
      href,
    }))
}
