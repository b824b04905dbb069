import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSystem } from '../../../system/system'
import { chooseRefresh, useRefreshChoice } from '../../../system/refresh/refresh-choice'
import { refreshIntervals } from '../../../system/refresh/refresh-intervals'
import { requestTour } from '../../../system/tour/tour'
import { type Theme, setTheme, getTheme } from '../../../system/theme'
import { Icon, type IconName } from '../../../ui/icon/icon'
import type { Item } from './items'

const looks: readonly { theme: Theme; label: string; icon: IconName }[] = [
  { theme: 'light', label: 'Light theme', icon: 'sun' },
  { theme: 'dark', label: 'Dark theme', icon: 'moon' },
  { theme: 'system', label: 'System theme', icon: 'eye' },
]

/** Actions that are no pages: the theme, the guide, experimental mode, sign-out. */
export const useActions = (): Item[] => {
  const { auth } = useSystem()
  const navigate = useNavigate()
  const { experimental } = useSearch({ strict: false })
  const currentTheme = getTheme()
  const themes = looks
    .filter(({ theme }) => theme !== currentTheme)
    .map(({ theme, label, icon }) => ({
      id: `theme-${theme}`,
      label,
      words: 'theme colour dark light mode',
      lead: <Icon name={icon} />,
      verb: 'Apply',
      run: () => setTheme(theme),
    }))
  return [
    ...themes,
    {
      id: 'guide',
      label: 'Guide',
      words: 'tour help',
      note: 'for this page',
      lead: <Icon name="compass" />,
      verb: 'Start',
      run: requestTour,
    },
    {
      id: 'experimental',
      label: experimental === 'true' ? 'Leave experimental mode' : 'Experimental mode',
      words: 'flask',
      note: 'features that are being tested',
      lead: <Icon name="flask" />,
      verb: 'Switch',
      run: () =>
        void navigate({
          to: '.',
          search: (kept) => ({ ...kept, experimental: experimental === 'true' ? undefined : 'true' }),
          replace: true,
        }),
    },
    {
      id: 'sign-out',
      label: 'Sign Out',
      words: 'log out logout',
      lead: <Icon name="power" />,
      verb: 'Sign out',
      run: () => auth.send({ type: 'signOut.asked' }),
    },
  ]
}

/** The refresh intervals, for who types for them: a phone has no room for the menu that lists have. */
export const useRefreshActions = (): Item[] => {
  const choice = useRefreshChoice()
  return refreshIntervals.map(({ value, label }) => ({
    id: `refresh-${value}`,
    label: `Refresh interval: ${label}`,
    words: 'update poll reload',
    ...(value === choice && { note: 'chosen' }),
    lead: <Icon name="refresh" />,
    verb: 'Apply',
    run: () => chooseRefresh(value),
  }))
}
