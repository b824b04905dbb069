import { useRef } from 'react'
import { Button } from '../../ui/button'

/** The browser keeps no file over a reload: the user selects it again, and only the rest is sent. */
export const FileAgain = ({ name, onFile }: { name: string; onFile: (file: File) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size="small" variant="ghost" onClick={() => input.current?.click()}>
        Choose
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`Choose ${name} again`}
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) onFile(file)
          target.value = ''
        }}
      />
    </>
  )
}
