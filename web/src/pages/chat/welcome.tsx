import { ConnectSource } from '../../components/connect-source.tsx';

/** What an empty new chat shows. */
export const Welcome = ({ isAbout }: { isAbout: boolean }) => (
  <div className="m-auto max-w-md py-10 text-center text-ink-soft">
    <p className="text-lg font-medium text-ink">
      {isAbout ? 'What do you want to know about this investigation?' : 'What do you want to know?'}
    </p>
    <div className="mt-3">
      <ConnectSource />
    </div>
    <p className="mt-1">
      Casebook queries your team's sources and answers with evidence. For longer work it starts an investigation.
    </p>
  </div>
);
