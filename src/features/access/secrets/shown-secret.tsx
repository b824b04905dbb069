import { css } from 'styled-system/css'
import { Code } from '../../../ui/text/code'
import { Callout } from '../../../ui/layout/notice'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The secret of a webhook, which is shown only here. */
export const ShownSecret = ({ secret }: { secret: string }) => (
  <div className={stack}>
    <Callout kind="warning">
      The secret is shown only now. Give it to the receiver, which verifies with it that a request comes from this project.
    </Callout>
    <Code label="Secret" code={secret} />
  </div>
)
