import { Suspense } from 'react'
import type { ExpirationScope } from '../api/queries/overview/expirations'
import { Panel, PanelSkeletons } from '../ui/layout/panel'
import { lazyPart } from './page/lazy'

const ExpirationsPanel = lazyPart(() => import('./expirations-panel').then((part) => part.ExpirationsPanel))

/** The panel of what expires. Mostly that is nothing: it takes the room of one line until it is known. */
export const Expirations = ({ scope }: { scope: ExpirationScope }) => (
  <Suspense
    fallback={
      <Panel flush title="Expirations">
        <PanelSkeletons rows={1} />
      </Panel>
    }
  >
    <ExpirationsPanel scope={scope} />
  </Suspense>
)
