import { memo } from "react";
import { Button, Icon as Sign } from "./ui";
import type { Props } from "./props";
import { theme } from "./theme";

const title = "Title";
const Parts = { Head: () => <h1>{title}</h1> };

function Row({ label, onPick }: Props) {
  const handle = () => onPick(label);
  return (
    <Button onClick={handle} {...theme.button}>
      <Sign name={label} />
      <Parts.Head />
      <div className={title}>{label}</div>
    </Button>
  );
}

const Lost = () => <Row label="x" onPick={() => {}} />;

export default memo(Row);
