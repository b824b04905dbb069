import { createRootRouteWithContext, Outlet, retainSearchParams } from '@tanstack/react-router'
import { enums, is, optional, type } from 'superstruct'
import { OrganizationSwitcher } from '../features/organizations/organization-switcher'
import { Frame } from '../features/shell/frame'
import { Questionnaire } from '../features/questionnaire/questionnaire'
import { UploadPanel } from '../features/uploads/upload-panel'
import { enterSession, type RouterContext } from '../system/guard'

const Search = type({ experimental: optional(enums(['true'])) })

const Root = () => (
  <Frame switcher={<OrganizationSwitcher />} dock={<UploadPanel />}>
    <Outlet />
    <Questionnaire />
  </Frame>
)

export const Route = createRootRouteWithContext<RouterContext>()({
  validateSearch: (search): { experimental?: 'true' | undefined } =>
    is(search, Search) && search.experimental ? { experimental: 'true' } : {},
  // §1: experimental mode stays on from page to page.
  search: { middlewares: [retainSearchParams(['experimental'])] },
  beforeLoad: async (arrival) => {
    await enterSession(arrival)
  },
  component: Root,
})
