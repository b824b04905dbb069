import { createRootRouteWithContext, Outlet, retainSearchParams } from '@tanstack/react-router'
import { OrganizationSwitcher } from '../features/organizations/organization-switcher'
import { Frame } from '../features/shell/frame'
import { Questionnaire } from '../features/questionnaire/questionnaire'
import { UploadPanel } from '../features/uploads/upload-panel'
import { enterSession, type RouterContext } from '../system/scope/guard'

const Root = () => (
  <Frame switcher={<OrganizationSwitcher />} dock={<UploadPanel />}>
    <Outlet />
    <Questionnaire />
  </Frame>
)

export const Route = createRootRouteWithContext<RouterContext>()({
  validateSearch: ({ experimental }): { experimental?: 'true' | undefined } => (experimental === 'true' ? { experimental } : {}),
  // §1: experimental mode stays on from page to page.
  search: { middlewares: [retainSearchParams(['experimental'])] },
  beforeLoad: async (arrival) => {
    await enterSession(arrival)
  },
  component: Root,
})
