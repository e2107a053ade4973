/** One check of a plan being edited. */
import { ChevronDown, ChevronRight, ArrowDown, ArrowUp, Copy, Trash2 } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { SeverityBadge } from '../../findings/marks.tsx';
import { severityOf } from '../../findings/filter-values.ts';
import type { DraftCheck } from './draft.ts';
import type { Suggestion } from './field-types.ts';
import { CHECK_FORM } from './fields.ts';
import { FieldsForm } from './fields-form.tsx';
import { nameOf, type IssueMap } from './issues.ts';
import { valueAt, type JsonObject } from './json.ts';
import { kindTitle } from './kinds.ts';
import { scheduleWords } from './words.ts';

export interface CheckCardProps {
  check: DraftCheck;
  index: number;
  count: number;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (value: JsonObject) => void;
  onMove: (by: -1 | 1) => void;
  onDuplicate: () => void;
  onRemove: () => void;
  issues: IssueMap;
  disabled: boolean;
  lists: Partial<Record<Suggestion, string>>;
}

export function CheckCard(props: CheckCardProps) {
  const { check, index, count, isOpen, onOpen, onMove, onDuplicate, onRemove, issues, disabled } = props;
  const { key, value } = check;
  const name = nameOf(value, index);
  const wrong = issues.count(key);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const what = name.slice(0, 80);
  const severity = severityOf(value['severity']);
  return (
    <li className={`rounded-lg border bg-surface ${wrong > 0 ? 'border-bad' : ''}`}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 p-2">
        <h3 className="min-w-0 flex-1 basis-60">
          <button
            type="button"
            id={key}
            aria-expanded={isOpen}
            aria-controls={`${key}-form`}
            onClick={() => onOpen(!isOpen)}
            className="flex w-full min-w-0 items-start gap-1.5 rounded-md p-1.5 text-left hover:bg-sunken"
          >
            <Chevron aria-hidden size={18} className="mt-0.5 shrink-0 text-ink-soft" />
            <span className="min-w-0">
              <span className="line-clamp-2 font-medium break-words">
                <bdi>{name}</bdi>
              </span>
              <span className="line-clamp-1 text-sm font-normal break-words text-ink-soft">
                {kindTitle(valueAt(value, 'check.type'))}, {scheduleWords(value['schedule'])}
              </span>
            </span>
          </button>
        </h3>
        {wrong > 0 && <Badge tone="bad">{wrong === 1 ? '1 problem' : `${wrong} problems`}</Badge>}
        {value['enabled'] === false && <Badge>Disabled</Badge>}
        {severity && <SeverityBadge severity={severity} />}
        {!disabled && (
          <div className="ml-auto flex" role="group" aria-label={`Actions for ${what}`}>
            <Button
              variant="quiet"
              size="small"
              icon
              id={`${key}-up`}
              aria-label={`Move ${what} up`}
              disabled={index === 0}
              onClick={() => onMove(-1)}
            >
              <ArrowUp aria-hidden size={16} />
            </Button>
            <Button
              variant="quiet"
              size="small"
              icon
              id={`${key}-down`}
              aria-label={`Move ${what} down`}
              disabled={index === count - 1}
              onClick={() => onMove(1)}
            >
              <ArrowDown aria-hidden size={16} />
            </Button>
            <Button variant="quiet" size="small" icon aria-label={`Duplicate ${what}`} onClick={onDuplicate}>
              <Copy aria-hidden size={16} />
            </Button>
            <Button variant="quiet" size="small" icon aria-label={`Remove ${what}`} onClick={onRemove}>
              <Trash2 aria-hidden size={16} />
            </Button>
          </div>
        )}
      </div>
      {isOpen && <CheckForm {...props} />}
    </li>
  );
}

function CheckForm({ check: { key, value }, onChange, issues, disabled, lists }: CheckCardProps) {
  const own = issues.ofCheck(key);
  return (
    <div id={`${key}-form`} className="flex flex-col gap-5 border-t p-4">
      {own.length > 0 && (
        <ul className="text-sm text-bad">
          {own.map(({ path, message }) => (
            <li key={path + message} className="break-words">
              {message}
            </li>
          ))}
        </ul>
      )}
      {CHECK_FORM.map(({ title, fields }) => (
        <div key={title}>
          <h4 className="pb-2 text-sm font-semibold text-ink-soft">{title}</h4>
          <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
            <FieldsForm
              fields={fields}
              checkKey={key}
              value={value}
              onChange={onChange}
              issues={issues}
              disabled={disabled}
              lists={lists}
            />
          </div>
        </div>
      ))}
    </div>
  );
}
