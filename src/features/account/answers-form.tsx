import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ProfileForm } from '../../../contract/accounts/profile'
import { updateProfileMutation } from '../../api/mutations/accounts/account'
import { profileQuery } from '../../api/queries/accounts/profile'
import { selfQuery } from '../../api/queries/accounts/self'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { notify } from '../../system/failure/notify'
import { AnswerFields } from '../../system/questionnaire/answer-fields'
import { type Answers, answersOf, formOf } from '../../system/questionnaire/answers'
import { useSystem } from '../../system/system'

/** Values of lists are in no native control: added here, so that a change of them counts. */
const listed = ['country', 'role', 'custom_role', 'platform_applications'] as const
const textOf = (value: string | readonly string[]) => (typeof value === 'string' ? value : value.join(','))

/** R9: the questionnaire's answers, which can be changed at any time. */
export const AnswersForm = () => {
  const { api } = useSystem()
  const { data: saved } = useSuspenseQuery(profileQuery(api))
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutateAsync } = useMutation(updateProfileMutation(api))
  const [answers, setAnswers] = useState(() => answersOf(saved, user.full_name))
  const room = useRef<HTMLDivElement>(null)
  const form = useForm({
    schema: ProfileForm,
    read: () => formOf(answers),
    save: (body) => mutateAsync(body),
    onSaved: () => void notify({ kind: 'success', text: 'Saved' }),
  })
  const write = (part: Partial<Answers>) => {
    setAnswers((before) => ({ ...before, ...part }))
    // Choosing from a list fires no form event. The change is dispatched by hand, with the new value before it is drawn.
    for (const [name, value] of Object.entries(part)) {
      const told = room.current?.querySelector<HTMLInputElement>(`[name=${name}]`)
      if (told) told.value = textOf(value)
    }
    form.change(new FormData(room.current?.closest('form') ?? undefined))
  }
  return (
    <BoundForm form={form} full>
      <div ref={room} hidden>
        {listed.map((name) => (
          <input key={name} type="hidden" name={name} value={textOf(answers[name])} readOnly />
        ))}
      </div>
      <AnswerFields
        answers={answers}
        write={write}
        other={answers.role === 'other'}
        roleProblem={form.field('role').error}
        problem={(name) => form.field(name).error}
      />
    </BoundForm>
  )
}
