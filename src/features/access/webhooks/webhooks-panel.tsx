import { Link, useParams } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../../system/scope/grants'
import { Button } from '../../../ui/button'
import { Panel, PanelRow } from '../../../ui/layout/panel'

/** Leads to the webhooks, which have a page of their own. */
export const WebhooksPanel = () => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:update')
  return (
    <Panel
      flush
      title="Webhooks"
      aside={
        refused === undefined ? (
          <Link
            to="/organizations/$organizationId/projects/$projectId/access/webhooks"
            params={{ organizationId, projectId }}
            className={button({ size: 'small' })}
          >
            Open webhooks
          </Link>
        ) : (
          <Button size="small" refused={refused}>
            Open webhooks
          </Button>
        )
      }
    >
      <PanelRow>Events of this project, such as a halted rollout, are sent to your own servers as signed requests.</PanelRow>
    </Panel>
  )
}
