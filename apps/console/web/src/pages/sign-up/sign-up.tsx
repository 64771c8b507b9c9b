import { useState } from 'react';
import type { SignUpAnswer } from '../../api/types.ts';
import { FirstKeys } from './first-keys.tsx';
import { SignUpForm } from './sign-up-form.tsx';

/** Opens a merchant; its secret key is then shown once. */
export function SignUp() {
  const [answer, setAnswer] = useState<SignUpAnswer | null>(null);
  return answer ? <FirstKeys answer={answer} /> : <SignUpForm onDone={setAnswer} />;
}
