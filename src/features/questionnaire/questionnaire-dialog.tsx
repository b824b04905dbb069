import { useSelector } from '@xstate/react'
import { useEffect, useId, useState } from 'react'
import { customRoleMessage } from '../../../contract/accounts/profile'
import { AnswerFields } from '../../system/questionnaire/answer-fields'
import type { Answers } from '../../system/questionnaire/answers'
import type { LoadedQuestionnaire } from '../../system/questionnaire/questionnaire'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Form } from '../../ui/form/form'

/**
 * §2: 'Set up your account'. Typed text is kept here until it is submitted; the chart knows only the length of the custom role.
 */
export const QuestionnaireDialog = ({ questionnaire: { actor, draft, submit } }: { questionnaire: LoadedQuestionnaire }) => {
  const id = useId()
  const [answers, setAnswers] = useState(draft)
  // A refused attempt focuses the first wrong field.
  const [attempt, setAttempt] = useState(0)
  const submitting = useSelector(actor, (snapshot) => snapshot.hasTag('submitting'))
  const other = useSelector(actor, (snapshot) => snapshot.hasTag('other'))
  const tooLong = useSelector(actor, (snapshot) => snapshot.hasTag('tooLong'))
  const write = (change: Partial<Answers>) => {
    setAnswers((before) => ({ ...before, ...change }))
    if (change.role !== undefined) actor.send({ type: 'role.chosen', role: change.role })
    if (change.custom_role !== undefined) actor.send({ type: 'customRole.typed', length: [...change.custom_role].length })
  }
  const dismiss = () => actor.send({ type: 'questionnaire.dismissed' })
  // The draft's values were set before the chart listened.
  useEffect(() => {
    const { role, custom_role } = draft()
    actor.send({ type: 'role.chosen', role })
    actor.send({ type: 'customRole.typed', length: [...custom_role].length })
  }, [actor, draft])

  return (
    <Dialog.Root open closeOnInteractOutside={false} onOpenChange={({ open }) => !open && dismiss()}>
      <Dialog.Window
        wide
        title="Set up your account"
        description="Asked once. Every field is optional."
        footer={
          <>
            <Button variant="ghost" disabled={submitting} onClick={dismiss}>
              Dismiss
            </Button>
            <Button type="submit" form={id} variant="primary" disabled={submitting} busy={submitting} busyLabel="Submitting">
              Submit
            </Button>
          </>
        }
      >
        <Form
          id={id}
          full
          dense
          attempt={attempt}
          onSubmit={() => {
            if (tooLong) setAttempt((count) => count + 1)
            submit(answers)
          }}
          footer={null}
        >
          <AnswerFields answers={answers} write={write} other={other} roleProblem={tooLong ? customRoleMessage : undefined} />
        </Form>
      </Dialog.Window>
    </Dialog.Root>
  )
}
