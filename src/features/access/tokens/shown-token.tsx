import { css } from 'styled-system/css'
import { Code } from '../../../ui/text/code'
import { Callout } from '../../../ui/layout/notice'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The secret of a new access token, which is shown only here. */
export const ShownToken = ({ token }: { token: string }) => (
  <div className={stack}>
    <Callout kind="warning">
      The token is shown only now. Keep it where your build server keeps its secrets; programs send it as
      <code className={css({ textStyle: 'mono' })}> Authorization: Bearer</code>.
    </Callout>
    <Code label="Access token" code={token} />
  </div>
)
