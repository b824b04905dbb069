import { dock } from 'styled-system/recipes'
import { useSystem } from '../../system/system'
import { Shape } from '../../ui/layout/shape'

/** R18: shows the environment, unless it is production. */
export const EnvironmentName = () => {
  const { name } = useSystem().environment
  return name === 'production' ? null : (
    <aside aria-label="Environment" className={dock().place}>
      <Shape name="info" />
      {name}
    </aside>
  )
}
