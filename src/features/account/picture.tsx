import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { css } from 'styled-system/css'
import { avatarMutation } from '../../api/mutations/accounts/account'
import { failureOf } from '../../api/failure'
import { selfQuery } from '../../api/queries/accounts/self'
import { describeFailure } from '../../system/failure/failure-text'
import { useSystem } from '../../system/system'
import { Avatar } from '../../ui/icon/avatar'
import { Button } from '../../ui/button'
import { Shape } from '../../ui/layout/shape'
import { PictureProblem, squarePicture } from './square-picture'

const row = css({ display: 'flex', alignItems: 'center', gap: '16' })
const words = css({ display: 'grid', gap: '6', minW: '0' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
const hint = css({ textStyle: 'small', color: 'muted' })
const wrong = css({ display: 'flex', gap: '4', textStyle: 'small', color: 'error.text', '& svg': { mt: '2' } })

const sentence = (error: unknown) => {
  if (error instanceof PictureProblem) return error.message
  const failure = failureOf(error)
  return failure?.details[0]?.message ?? (failure && describeFailure(failure)) ?? 'The picture was not changed'
}

/** The profile picture; a change shows everywhere at once. */
export const Picture = () => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutateAsync, isPending } = useMutation(avatarMutation(api))
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const change = async (file: File | null) => {
    setProblem(undefined)
    try {
      await mutateAsync(file && (await squarePicture(file)))
    } catch (error) {
      setProblem(sentence(error))
    }
  }
  return (
    <div className={row} role="group" aria-label="Picture">
      <Avatar large email={user.email} image={user.image_url} label="Your picture" />
      <div className={words}>
        <div className={buttons}>
          <Button busy={isPending} busyLabel="Saving..." onClick={() => input.current?.click()}>
            {user.image_url ? 'Change picture' : 'Choose picture'}
          </Button>
          {user.image_url && (
            <Button variant="ghost" disabled={isPending} onClick={() => void change(null)}>
              Remove
            </Button>
          )}
        </div>
        {problem === undefined ? (
          <p className={hint}>PNG, JPEG or WebP. Cut to a square.</p>
        ) : (
          <p className={wrong} role="alert">
            <Shape name="error" />
            {problem}
          </p>
        )}
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          aria-label="Picture file"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file) void change(file)
            // The same file can be selected again.
            event.target.value = ''
          }}
        />
      </div>
    </div>
  )
}
