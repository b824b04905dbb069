import { useSelector } from '@xstate/react'
import { useEffect, useId, useState } from 'react'
import { product } from '../../../contract/limits'
import { customRoleMessage, maxProfileText } from '../../../contract/profile'
import type { Answers } from '../../system/questionnaire/answers'
import type { LoadedQuestionnaire } from '../../system/questionnaire/questionnaire'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/dialog'
import { Form, Pair } from '../../ui/form/form'
import { ComboboxField, MultiSelectField } from '../../ui/form/select-field'
import { TextField } from '../../ui/form/text-field'
import { applications, roles } from './choices'
import { CountryField } from './country-field'

type Texts = 'first_name' | 'last_name' | 'company_name' | 'linkedin_url' | 'city'

/** §2: 'Set up your account'. What is written lies here until it is submitted; the chart knows only how long the custom role is. */
export const QuestionnaireDialog = ({ questionnaire: { actor, draft, submit } }: { questionnaire: LoadedQuestionnaire }) => {
  const id = useId()
  const [answers, setAnswers] = useState(draft)
  const submitting = useSelector(actor, (snapshot) => snapshot.hasTag('submitting'))
  const other = useSelector(actor, (snapshot) => snapshot.hasTag('other'))
  const tooLong = useSelector(actor, (snapshot) => snapshot.hasTag('tooLong'))
  const write = (change: Partial<Answers>) => setAnswers((before) => ({ ...before, ...change }))
  const text = (name: Texts) => ({
    value: answers[name],
    maxLength: maxProfileText,
    onChange: (event: { target: { value: string } }) => write({ [name]: event.target.value }),
  })
  const chooseRole = (role: Answers['role']) => {
    write({ role })
    actor.send({ type: 'role.chosen', role })
  }
  const typeRole = (custom_role: string) => {
    write({ custom_role })
    actor.send({ type: 'customRole.typed', length: [...custom_role].length })
  }
  const dismiss = () => actor.send({ type: 'questionnaire.dismissed' })
  // What the draft holds was chosen before the chart listened.
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
        <Form id={id} full onSubmit={() => submit(answers)} footer={null}>
          <Pair>
            <TextField label="First Name" autoComplete="given-name" {...text('first_name')} />
            <TextField label="Last Name" autoComplete="family-name" {...text('last_name')} />
          </Pair>
          <Pair>
            <TextField label="Company" autoComplete="organization" {...text('company_name')} />
            <TextField label="LinkedIn Profile URL" inputMode="url" placeholder="https://" {...text('linkedin_url')} />
          </Pair>
          <Pair>
            <TextField label="City" autoComplete="address-level2" {...text('city')} />
            <CountryField value={answers.country} onValueChange={(country) => write({ country })} />
          </Pair>
          <ComboboxField label="What best describes your role?" items={roles} value={answers.role} onValueChange={chooseRole} />
          {other && (
            <TextField
              label="Please specify your role"
              value={answers.custom_role}
              onChange={(event) => typeRole(event.target.value)}
              error={tooLong ? customRoleMessage : undefined}
            />
          )}
          <MultiSelectField
            label={`What applications do you plan to use ${product.name} for?`}
            hint="Select all that apply"
            items={applications}
            value={answers.platform_applications}
            onValueChange={(platform_applications) => write({ platform_applications })}
          />
        </Form>
      </Dialog.Window>
    </Dialog.Root>
  )
}
