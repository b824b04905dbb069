import { useNavigate, useSearch } from '@tanstack/react-router'
import { experiments } from '../../system/experiments'
import { CornerButton } from '../../ui/overlay/dock'

const names = experiments.join(', ')

/**
 * §1: toggles experimental=true on the current page and replaces the history entry. It only shows pages and grants no
 * permission (R20).
 */
export const ExperimentalFlask = () => {
  const navigate = useNavigate()
  const { experimental } = useSearch({ strict: false })
  const on = experimental === 'true'
  const toggle = () =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, experimental: on ? undefined : 'true' }),
      hash: true,
      replace: true,
      resetScroll: false,
    })
  return (
    <CornerButton
      icon="flask"
      label={`Experimental mode is ${on ? 'on' : 'off'}`}
      hint={`${on ? 'Shows' : 'Show'} features that are being tested: ${names}`}
      word="Experimental"
      name="Experimental mode"
      pressed={on}
      onClick={toggle}
    />
  )
}
